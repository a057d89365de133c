from native_package import *  # noqa: F403
