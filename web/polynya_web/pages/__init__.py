"""The pages: a module for each subject, with the list ``ROUTES`` of its addresses."""
