def rank_score(f): return 0.0
def answerable_logit(f): return 0.0
def right_logit(f): return 0.0
