"""A hosted Agent Host Protocol service: the platform that the apps stand on."""
