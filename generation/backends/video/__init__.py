"""Making videos: clips, and recordings with clips spliced in.

`clips` makes and stores clips, `splicing` puts them into recordings, `checking` verifies written
files, `sound` makes the sound beside the cuts; `providers` orders clips of video models. Videos are
read by `annotation.backends.media`. Everything streams: no function holds all frames of a file.
"""
