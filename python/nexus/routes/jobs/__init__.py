"""The operator's jobs: started, watched, cancelled, scheduled."""

from nexus.routes.jobs import events, jobs, scheduled

ROUTES = (jobs, events, scheduled)
