"""Videos are made here: clips, and recordings with clips spliced in.

`clips` makes and stores clips, `splicing` puts them into recordings, `checking` looks at what was
written, `sound` makes the sound beside the cuts; `providers` orders clips of video models. Reading
videos is `annotation.backends.media`. Everything streams: no function holds all frames of a file.
"""
