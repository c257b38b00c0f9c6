"""What every resource of the HTTP API shares: endpoints, their document, problems, pages, streams."""
