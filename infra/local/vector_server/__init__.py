"""A local server that speaks Upstash Vector's REST protocol to the unmodified `upstash-vector` client.

Real: the wire protocol of the calls listed in `app.py`, namespaces, cosine scores as `(1 + cos) / 2`, BM25 with IDF
weighting, RRF and DBSF as the SDK documents them, the documented filter language, delayed visibility.
Emulated: the search is exact where Upstash's is approximate, so recall here is an upper bound; filters have no budget;
the hosted embedding models are replaced by one that runs here (see `embedder.py`); there are no quotas or plans.
Not there, answered by 501: resumable queries.
"""
