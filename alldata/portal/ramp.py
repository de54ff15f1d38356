"""Which colour is a utilisation? Cividis, 0 to 100 %, the same in both themes (UI.md section 9)."""

RAMP = ("#00224E", "#123570", "#3B496C", "#575D6D", "#707173", "#8A8678", "#A59C74", "#C3B369", "#E1CC55", "#FEE838")
