"""What touches the outside: files and caches, object storage, video files, processes."""
