"""The passes of mytriton, one file each, named as on the command line."""

if __name__ != "mytriton.passes":
    raise ImportError("import this package as mytriton.passes, so that every class in it exists once")
