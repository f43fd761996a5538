"""The command-line tools of mytriton."""
