def svg(odd): return ""
