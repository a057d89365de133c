"""The npm package in a page of Chromium, beside what a web developer could use instead.

``measure.mjs`` measures; the modules in Python prepare what it needs, and print what it found.
``systems/`` has a module for each system, which runs in the page.
"""
