"""The version of this package, as the server's records keep it."""

from importlib.metadata import PackageNotFoundError, version


def _installed() -> str:
    try:
        return version("polynya-client")
    except PackageNotFoundError:  # run from a folder: the copy that the server's wheel carries
        return "source"


__version__ = _installed()
