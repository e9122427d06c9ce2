"""The social reply bot: answers comments, remembering whom it has answered and what was said."""
