"""The drawn things, one function per shape, in fractions of their own box."""

from functools import lru_cache

from PIL import Image

# Importing a module of shapes is what registers them.
from sample.shapes import household, plants, tools, vessels  # noqa: F401 # see above
from sample.shapes.pen import SHAPES, Pen


@lru_cache(maxsize=512)
def draw_shape(
    name: str, colour: str, width: int, height: int, fill: str, level: float
) -> Image.Image:
    """The shape as an RGBA picture of `width` x `height` pixels."""
    pen = Pen(width, height)
    SHAPES[name](pen, colour, fill, level)
    return pen.image.resize((width, height), Image.Resampling.LANCZOS)
