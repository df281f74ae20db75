"""Making clips, inspecting uploaded ones, and storing them in the form of their recording."""
