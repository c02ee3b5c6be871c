package org.stillwater.ovirt.codec;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The two media types of the API. */
public enum Format {
    XML("application/xml"),
    JSON("application/json");

    private final String mediaType;

    Format(String mediaType) {
        this.mediaType = mediaType;
    }

    /** The value in {@code Content-Type}. */
    public String mediaType() {
        return mediaType;
    }

    /**
     * The format that a list of media types prefers, as in {@code Accept}: the greatest {@code q},
     * of equal ones the first; XML for no list, and for one that has neither.
     */
    public static Format preferred(@Nullable String accept) {
        Format best = XML;
        double bestQuality = 0;
        if (accept == null) {
            return best;
        }
        for (String range : accept.split(",", 64)) {
            Format format = of(range);
            double quality = quality(range);
            if (format != null && quality > bestQuality) {
                best = format;
                bestQuality = quality;
            }
        }
        return best;
    }

    /** The format of a media type or range, its parameters aside; null for any other. */
    public static @Nullable Format of(String type) {
        int parameters = type.indexOf(';');
        String bare = parameters < 0 ? type : type.substring(0, parameters);
        return switch (bare.strip().toLowerCase(Locale.ROOT)) {
            case "application/xml", "text/xml", "*/*", "application/*", "text/*" -> XML;
            case "application/json", "text/json" -> JSON;
            default -> null;
        };
    }

    private static double quality(String range) {
        for (String parameter : range.split(";", 16)) {
            String bare = parameter.strip();
            if (bare.startsWith("q=")) {
                try {
                    return Math.clamp(Double.parseDouble(bare.substring(2)), 0, 1);
                } catch (NumberFormatException _) {
                    return 0;
                }
            }
        }
        return 1;
    }
}
