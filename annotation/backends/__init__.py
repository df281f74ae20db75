"""The files that touch the outside: processes, video files."""
