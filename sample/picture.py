"""One frame of a sample video: the room, the props, the hand, the caption and the clock."""

import textwrap
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from PIL import Image, ImageDraw, ImageFont

from sample.gestures import Pose
from sample.shapes import draw_shape
from sample.shapes.pen import Pen, shade
from sample.stage import HEIGHT, SHELF_Y, SLOTS, WIDTH, Prop, State

PAPER, CARD, LINE = "#fbfbf9", "#ffffff", "#e3e5ea"
INK, INK_2, ACCENT = "#1d2330", "#5a6374", "#2f5bd7"
LAMP = "#e0a526"
WORKTOP_EDGE_Y, CAPTION_Y = 236, 304
HAND_WIDTH, HAND_HEIGHT = 212, 332  # long enough to reach the caption from the shelf
CAPTION_CHARACTERS = 70  # that fit on one line of 19 pixels

# What lies under something else that has a name.
UNNAMED_SHAPES = frozenset({"puddle"})


@dataclass(frozen=True, slots=True)
class Room:
    """The colours of one setting; `pattern` is what the wall carries."""

    wall: str
    worktop: str
    pattern: str


ROOMS = {
    "Kitchen": Room("#eef1f0", "#dcc7a8", "tiles"),
    "Bike repair": Room("#ece9e4", "#c9b08d", "pegboard"),
    "Plant care": Room("#e9f0ea", "#cdb597", "window"),
    "First aid": Room("#eff3f8", "#dde3ea", "cross"),
    "Laboratory": Room("#edf0f5", "#cfd6df", "grid"),
    "Office": Room("#f1eee8", "#d3bd9c", "notes"),
}


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    # Pillow carries this typeface, so the picture is the same on every machine.
    return ImageFont.load_default(size)


@lru_cache(maxsize=8)
def _room_picture(setting: str) -> Image.Image:
    room = ROOMS[setting]
    image = Image.new("RGB", (WIDTH, HEIGHT), room.wall)
    draw = ImageDraw.Draw(image)
    faint = shade(room.wall, 0.965)
    match room.pattern:
        case "tiles":
            _draw_grid(draw, faint, step=40, is_crossed=True)
        case "grid":
            _draw_grid(draw, faint, step=80, is_crossed=False)
        case "pegboard":
            for x, y in product(range(14, WIDTH, 24), range(44, WORKTOP_EDGE_Y, 24)):
                draw.ellipse((x - 2, y - 2, x + 2, y + 2), fill=shade(room.wall, 0.92))
        case "window":
            draw.rectangle((240, 146, 400, 228), fill="#d8e9f4", outline=CARD, width=5)
            draw.line((320, 146, 320, 228), fill=CARD, width=5)
        case "cross":
            draw.rounded_rectangle((296, 152, 344, 200), radius=8, fill="#dbe6f5")
            draw.rectangle((315, 160, 325, 192), fill=CARD)
            draw.rectangle((304, 171, 336, 181), fill=CARD)
        case "notes":
            for x, colour in ((250, "#fdf3dd"), (310, "#e8eefc"), (372, "#e6f5ec")):
                draw.rectangle((x, 160, x + 34, 192), fill=colour)
    draw.rectangle((20, SHELF_Y, WIDTH - 20, SHELF_Y + 6), fill=shade(room.worktop, 0.9))
    draw.rectangle((20, SHELF_Y + 6, WIDTH - 20, SHELF_Y + 8), fill=shade(room.wall, 0.9))
    draw.rectangle((0, WORKTOP_EDGE_Y, WIDTH, HEIGHT), fill=room.worktop)
    draw.rectangle((0, WORKTOP_EDGE_Y, WIDTH, WORKTOP_EDGE_Y + 3), fill=shade(room.worktop, 1.4))
    return image


def _draw_grid(draw: ImageDraw.ImageDraw, colour: str, *, step: int, is_crossed: bool) -> None:
    for x in range(0, WIDTH, step):
        draw.line((x, 30, x, WORKTOP_EDGE_Y), fill=colour, width=2)
    if is_crossed:
        for y in range(30, WORKTOP_EDGE_Y, step):
            draw.line((0, y, WIDTH, y), fill=colour, width=2)


def base_picture(
    state: State, setting: str, title: str, caption: str, *, moving: frozenset[str] = frozenset()
) -> Image.Image:
    """Everything that stands still: room, props that are not held, title and caption."""
    image = _room_picture(setting).copy()
    draw = ImageDraw.Draw(image)
    for name, prop in state.props.items():
        if state.is_visible(name) and name not in moving:
            paste_prop(image, prop, state.position(name))
    for name, prop in state.props.items():
        is_named = prop.at in SLOTS and prop.shape not in UNNAMED_SHAPES
        if is_named and state.is_visible(name) and name not in moving:
            x, y = state.position(name)
            offset = 10 if y == SHELF_Y else 6
            draw.text((x, y + offset), name, font=_font(11), fill=INK_2, anchor="ma")
    draw.rectangle((0, 0, WIDTH, 28), fill=PAPER)
    draw.line((0, 28, WIDTH, 28), fill=LINE)
    draw.text((14, 14), title, font=_font(13), fill=INK_2, anchor="lm")
    image.paste(_caption_picture(caption), (0, CAPTION_Y))
    return image


@lru_cache(maxsize=4)
def _caption_picture(caption: str) -> Image.Image:
    image = Image.new("RGB", (WIDTH, HEIGHT - CAPTION_Y), CARD)
    draw = ImageDraw.Draw(image)
    draw.line((0, 0, WIDTH, 0), fill=LINE)
    lines = textwrap.wrap(caption, CAPTION_CHARACTERS)
    if lines:
        draw.rectangle((0, 0, 4, HEIGHT), fill=ACCENT)
    text = "\n".join(lines)
    middle = (HEIGHT - CAPTION_Y) / 2
    draw.multiline_text((20, middle), text, font=_font(19), fill=INK, anchor="lm", spacing=3)
    return image


def paste_prop(
    image: Image.Image, prop: Prop, base: tuple[float, float], *, angle: float = 0.0
) -> None:
    """Draw the prop with the middle of its base at `base`, turned about its own middle."""
    picture = draw_shape(prop.shape, prop.colour, prop.width, prop.height, prop.fill, prop.level)
    if prop.lit:
        picture = picture.copy()
        x, y = picture.width // 2, picture.height * 2 // 3
        ImageDraw.Draw(picture).ellipse((x - 4, y - 4, x + 4, y + 4), fill=LAMP, outline="#ffffff")
    middle_x, middle_y = base[0], base[1] - prop.height / 2
    if abs(angle) >= 1:
        picture = picture.rotate(angle, Image.Resampling.BICUBIC, expand=True)
    corner = (round(middle_x - picture.width / 2), round(middle_y - picture.height / 2))
    image.paste(picture, corner, picture)


@lru_cache(maxsize=4)
def _hand_picture(colour: str) -> Image.Image:
    """Hand and sleeve; the tip of the fingers is at (10, 12)."""
    pen = Pen(HAND_WIDTH, HAND_HEIGHT)

    def at(x: int, y: int) -> tuple[float, float]:
        return x / HAND_WIDTH, y / HAND_HEIGHT

    pen.shape([at(24, 51), at(60, 28), at(208, 330), at(155, 330)], "#7d97dd")
    pen.shape([at(21, 46), at(51, 21), at(63, 37), at(33, 64)], "#f4f6f9")
    pen.oval(at(9, 11), at(54, 53), colour)
    pen.box(at(1, 7), at(36, 20), colour, radius=7)
    pen.box(at(3, 23), at(30, 34), colour, radius=6)
    return pen.image.resize((HAND_WIDTH, HAND_HEIGHT), Image.Resampling.LANCZOS)


def draw_pose(image: Image.Image, state: State, pose: Pose, prop: str, stream_colour: str) -> None:
    """Draw what moves: stream, the `prop` in the hand with what stands on it, ring, hand."""
    draw = ImageDraw.Draw(image)
    if pose.stream:
        (x, top), (_x, bottom) = pose.stream
        draw.rounded_rectangle((x - 3, top, x + 3, max(bottom, top + 6)), 3, fill=stream_colour)
    if prop:
        for name in state.group(prop):
            if state.is_visible(name):
                x, y = state.position(name)
                place = (x + pose.offset[0], y + pose.offset[1])
                paste_prop(
                    image, state.props[name], place, angle=pose.angle if name == prop else 0.0
                )
    if pose.ring:
        (x, y), radius = pose.ring_at, pose.ring_radius
        box = (x - radius, y - radius, x + radius, y + radius)
        draw.arc(box, -90, -90 + 360 * pose.ring, fill=ACCENT, width=4)
    hand = _hand_picture(state.hand_colour)
    # Cut where the caption begins, over which the arm would otherwise reach.
    visible = CAPTION_Y - round(pose.hand[1]) + 12
    if visible > 0:
        hand = hand.crop((0, 0, hand.width, min(visible, hand.height)))
        image.paste(hand, (round(pose.hand[0]) - 10, round(pose.hand[1]) - 12), hand)


def draw_clock(image: Image.Image, time_s: float) -> None:
    """Write minutes, seconds and tenths into the upper right corner."""
    tenths = round(time_s * 10)
    text = f"{tenths // 600:02d}:{tenths // 10 % 60:02d}.{tenths % 10}"
    image.paste(_clock_picture(text), (WIDTH - 80, 2))


@lru_cache(maxsize=1024)
def _clock_picture(text: str) -> Image.Image:
    image = Image.new("RGB", (72, 24), PAPER)
    draw = ImageDraw.Draw(image)
    x = 4.0
    for character in text:
        # Figures all get the same room, so that the clock does not tremble.
        room = 8.5 if character.isdigit() else 4
        draw.text((x + room / 2, 12), character, font=_font(14), fill=INK, anchor="mm")
        x += room
    return image
