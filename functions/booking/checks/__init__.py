"""The fact check: what a draft says is compared with the record by code, in five languages, before it may go out."""
