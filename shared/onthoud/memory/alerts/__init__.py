"""The alert log: what has been said already, so that it is said again only when it has changed.

`log.AlertLog` is the way in. Inside, everything that decides is pure: `advance` (what a reading does to the alerts),
`machine` (the table of states and events), `news` (what one alert has to say to one audience), `planning` (what a
brief prints), `telling` (what is remembered once it was told). `store` is the only part that touches the table.
"""
