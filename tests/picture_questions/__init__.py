"""A third kind of paid calls, as an app of its own: questions about pictures, asked by a survey."""
