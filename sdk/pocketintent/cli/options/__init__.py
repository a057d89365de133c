"""Options that several commands share, the types of arguments, and files of settings."""
