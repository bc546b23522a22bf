"""A bar chart of measured speeds, as SVG, with the standard library alone."""
from xml.sax.saxutils import escape

BAR, GAP, GROUP_GAP = 18, 5, 30  # pixels
LABELS, WIDTH, NUMBERS = 230, 520, 90
OWN, PEER = "#1b6ca8", "#b9bec4"


def bars(title, groups):
    """The chart of [(group's name, [(label, MB/s, whether it is ours)])], a bar for each label."""
    most = max(speed for _, rows in groups for _, speed, _ in rows)
    parts, y = [], 50
    for name, rows in groups:
        parts.append(f'<text x="10" y="{y}" font-weight="bold">{escape(name)}</text>')
        y += 10
        for label, speed, own in rows:
            width = max(1, round(WIDTH * speed / most))
            middle = y + BAR - 5
            parts.append(f'<text x="{LABELS - 8}" y="{middle}" text-anchor="end">{escape(label)}</text>')
            parts.append(f'<rect x="{LABELS}" y="{y}" width="{width}" height="{BAR}" fill="{OWN if own else PEER}"/>')
            parts.append(f'<text x="{LABELS + width + 6}" y="{middle}">{speed:,.0f} MB/s</text>')
            y += BAR + GAP
        y += GROUP_GAP
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABELS + WIDTH + NUMBERS}" height="{y}" '
            'font-family="sans-serif" font-size="13">\n'
            f'<rect width="100%" height="100%" fill="white"/>\n'
            f'<text x="10" y="24" font-size="16">{escape(title)}</text>\n')
    return head + "\n".join(parts) + "\n</svg>\n"
