"""Videos in a folder of this machine."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.probe import probe_video
from annotation.engine.videos.storage_prefix import is_storage_address
from annotation.models import User
from annotation.selectors.videos.files import opened_places
from annotation.services.videos.links import (
    PATH_CHARACTERS,
    LinkedRecording,
    ProbedFile,
    VideoLinkError,
    Watch,
    probed,
    refusal_of,
    relative_path,
)

# FFmpeg releases the interpreter's lock, so a few files are probed at once.
PROBING_THREADS = 4


@dataclass(frozen=True, slots=True)
class FolderVideos:
    """The videos below a folder."""

    root: Path

    @classmethod
    def of(cls, folder: str, actor: User | None) -> Self:
        """The folder that the actor names; None is the command line, which may name any."""
        if not folder.strip() or "\x00" in folder:
            raise VideoLinkError("No folder was given.")
        try:
            path = Path(folder).expanduser()
            root = path.resolve()
        except (OSError, RuntimeError) as error:
            # The home of nobody ("~nobody"), or links in a circle.
            raise VideoLinkError(f"The folder {folder} cannot be read: {error}.") from error
        if actor is not None and not path.is_absolute():
            raise VideoLinkError(f"The folder {folder} is not absolute; give its full path.")
        if actor is not None and not actor.is_administrator:
            # Before anything is looked up: the answer tells nothing about the server's disk.
            folders = [item for item in opened_places() if not is_storage_address(item)]
            allowed = [Path(item).resolve() for item in folders]
            if not any(root.is_relative_to(item) for item in allowed):
                raise VideoLinkError(allowed_places())
        try:
            is_folder = root.is_dir()
        except OSError:
            is_folder = False  # such as a name that is longer than a file system takes
        if not is_folder:
            raise VideoLinkError(f"There is no folder {root}.")
        if len(str(root)) > PATH_CHARACTERS:
            raise VideoLinkError(f"The folder's path is longer than {PATH_CHARACTERS} characters.")
        return cls(root)

    @property
    def address(self) -> str:
        return str(self.root)

    def look_up(
        self, recordings: list[LinkedRecording], pattern: str, watch: Watch
    ) -> list[ProbedFile]:
        """Probe the file of every recording."""
        return probed(lambda item: self._look_up(item, pattern), recordings, PROBING_THREADS, watch)

    def _look_up(self, recording: LinkedRecording, pattern: str) -> ProbedFile:
        relative = relative_path(recording, pattern)
        refusal = refusal_of(relative)
        if refusal:
            return ProbedFile(recording, relative, refusal=refusal)
        try:
            path = (self.root / relative).resolve()
            exists = path.exists()
        except (OSError, RuntimeError) as error:
            return ProbedFile(recording, relative, refusal=f"cannot be read ({error})")
        if not path.is_relative_to(self.root):
            return ProbedFile(recording, relative, refusal="a link leads out of the folder")
        if not exists:
            return ProbedFile(recording, relative)
        try:
            return ProbedFile(recording, relative, probe_video(path))
        except VideoError as error:
            return ProbedFile(recording, relative, refusal=str(error))


def allowed_places() -> str:
    """The places that researchers may name, as a sentence."""
    places = [
        item if is_storage_address(item) else str(Path(item).resolve()) for item in opened_places()
    ]
    if not places:
        return "No folder is open to researchers yet. Ask an administrator to open one to you."
    return f"You may link videos from these folders only: {', '.join(places)}."
