"""The ranking of passages of running text, as fitted by `training/passages.py`. Generated: do not edit."""

FEATURES = ('words', 'words_share', 'page', 'page_share', 'cosine', 'cosine_share', 'cover', 'cover_heading', 'cover_title', 'cover_sentence', 'soft', 'near', 'near_share', 'heading_precision', 'before', 'after', 'best_of_page', 'found_of_page', 'length', 'is_first')
RANK = (0.833268, -0.356286, 2.1852, -0.776196, 2.00956, 1.23255, -4.61097, 0.913017, 3.58818, 3.03439, 8.23164, 2.6589, 0.734788, 1.64857, 0.519399, 0.403904, 1.24681, -0.822871, -0.421342, -0.232454)
