"""The pages' contents as JSON, below ``/api/v1``: types, routes, and the document of both."""
