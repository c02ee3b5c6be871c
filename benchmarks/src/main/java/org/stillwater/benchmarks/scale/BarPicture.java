package org.stillwater.benchmarks.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A picture of bars as SVG: sections, each with a scale of its own. The same content makes the same
 * text, so that a test can compare a picture with its data. For one thread.
 */
final class BarPicture {

    private static final int WIDTH = 900;
    private static final int MARGIN = 16;
    private static final int LABELS = 380;
    private static final int MOST_BAR = 300;
    private static final int ROW = 22;
    private static final int LETTERS = 54;

    private final String title;
    private final String subtitle;
    private final List<Section> sections = new ArrayList<>();

    /** Owner of a bar's figure. */
    enum Whose {
        /** Of this engine. */
        OURS("#1f6f8b"),
        /** Of another program, for comparison. */
        THEIRS("#9aa5b1");

        private final String colour;

        Whose(String colour) {
            this.colour = colour;
        }
    }

    private record Bar(String label, double value, String text, Whose whose) {}

    private record Section(String name, List<Bar> bars) {}

    BarPicture(String title, String subtitle) {
        this.title = title;
        this.subtitle = subtitle;
    }

    /** A group of bars that share a scale. */
    BarPicture section(String name) {
        sections.add(new Section(name, new ArrayList<>()));
        return this;
    }

    /** A bar of the newest section. */
    BarPicture bar(String label, double value, String text, Whose whose) {
        sections.getLast().bars().add(new Bar(label, value, text, whose));
        return this;
    }

    /** The picture. */
    String svg() {
        int rows = 0;
        for (Section section : sections) {
            rows += 2 + section.bars().size();
        }
        int height = 3 * MARGIN + 44 + ROW * rows;
        StringBuilder out = new StringBuilder();
        out.append(
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif" font-size="14">
                <title>%s</title>
                <rect width="%d" height="%d" fill="#ffffff"/>
                <text x="%d" y="34" font-size="20" font-weight="bold" fill="#1b2733">%s</text>
                <text x="%d" y="56" font-size="12" fill="#52606d">%s</text>
                """
                        .formatted(
                                WIDTH,
                                height,
                                escaped(title),
                                WIDTH,
                                height,
                                MARGIN,
                                escaped(title),
                                MARGIN,
                                escaped(subtitle)));
        int y = 64 + ROW;
        for (Section section : sections) {
            y += ROW / 2;
            out.append(
                    "<text x=\"%d\" y=\"%d\" font-weight=\"bold\" fill=\"#1b2733\">%s</text>\n"
                            .formatted(MARGIN, y, escaped(section.name())));
            y += ROW;
            double most = section.bars().stream().mapToDouble(Bar::value).max().orElse(0);
            for (Bar bar : section.bars()) {
                double width = most <= 0 ? 0 : MOST_BAR * bar.value() / most;
                out.append(
                        String.format(
                                Locale.ROOT,
                                """
                                <text x="%d" y="%d" text-anchor="end" fill="#1b2733">%s</text>
                                <rect x="%d" y="%d" width="%.1f" height="14" fill="%s"/>
                                <text x="%.1f" y="%d" fill="#1b2733">%s</text>
                                """,
                                MARGIN + LABELS,
                                y,
                                escaped(shortened(bar.label())),
                                MARGIN + LABELS + 8,
                                y - 12,
                                Math.max(1, width),
                                bar.whose().colour,
                                MARGIN + LABELS + 14 + Math.max(1, width),
                                y,
                                escaped(bar.text())));
                y += ROW;
            }
            y += ROW / 2;
        }
        return out.append("</svg>\n").toString();
    }

    private static String shortened(String label) {
        return label.length() <= LETTERS ? label : label.substring(0, LETTERS - 1) + "…";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
