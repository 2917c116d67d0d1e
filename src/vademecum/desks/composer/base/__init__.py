"""What a draft starts from: the target, and the template or the bare defaults that it begins with."""
