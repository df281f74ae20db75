"""The only files that touch the outside: video files are opened here."""
