package org.stillwater.server.api.rows;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.util.MimeTypeUtils;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.EntityTag;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.Representations;

/** Content negotiation and entity tags of responses that are written row by row. */
public final class ListResponses {

    static final MediaType CSV =
            new MediaType("text", "csv", java.nio.charset.StandardCharsets.UTF_8);
    static final MediaType NDJSON = new MediaType("application", "x-ndjson");

    /** The form of rows. */
    @SuppressWarnings("ImmutableEnumChecker") // media types are immutable, but do not declare it
    public enum Format {
        JSON(MediaType.APPLICATION_JSON),
        NDJSON(ListResponses.NDJSON),
        CSV(ListResponses.CSV);

        private final MediaType type;

        Format(MediaType type) {
            this.type = type;
        }

        public MediaType type() {
            return type;
        }
    }

    /** More, Spring does not put in order. */
    private static final int MOST_TYPES = 50;

    private ListResponses() {}

    /** By the parameter, else by the header, best first. */
    public static Format format(@Nullable String format, @Nullable String accept) {
        switch (FilterText.text(format).strip().toLowerCase(java.util.Locale.ROOT)) {
            case "json" -> {
                return Format.JSON;
            }
            case "ndjson" -> {
                return Format.NDJSON;
            }
            case "csv" -> {
                return Format.CSV;
            }
            case "" -> {}
            default ->
                    throw ApiException.badRequest(
                            "format \"%s\" is not one of json, ndjson, csv"
                                    .formatted(Ids.shortened(FilterText.text(format))));
        }
        if (FilterText.blank(accept)) {
            return Format.JSON;
        }
        for (MediaType type : accepted(FilterText.text(accept))) {
            if (type.isCompatibleWith(MediaType.APPLICATION_JSON)) {
                return Format.JSON;
            }
            if (type.isCompatibleWith(NDJSON)) {
                return Format.NDJSON;
            }
            if (type.isCompatibleWith(CSV)) {
                return Format.CSV;
            }
        }
        throw ApiException.notAcceptable(
                "There are application/json, application/x-ndjson and text/csv.");
    }

    /** JSON is all there is. */
    public static void jsonOnly(@Nullable String accept) {
        if (FilterText.blank(accept)) {
            return;
        }
        for (MediaType type : accepted(FilterText.text(accept))) {
            if (type.isCompatibleWith(MediaType.APPLICATION_JSON)) {
                return;
            }
        }
        throw ApiException.notAcceptable("There is application/json only.");
    }

    /** Media types that a header accepts, best first. */
    public static List<MediaType> accepted(String accept) {
        try {
            List<MediaType> types = new java.util.ArrayList<>(MediaType.parseMediaTypes(accept));
            if (types.size() > MOST_TYPES) {
                throw ApiException.badRequest(
                        "Accept names at most " + MOST_TYPES + " media types");
            }
            types.removeIf(type -> type.getQualityValue() == 0);
            MimeTypeUtils.sortBySpecificity(types);
            types.sort(java.util.Comparator.comparingDouble(MediaType::getQualityValue).reversed());
            return types;
        } catch (InvalidMediaTypeException e) {
            throw ApiException.badRequest(
                    "Accept is no list of media types: " + Ids.shortened(e.getMediaType()));
        }
    }

    /**
     * Sets the entity tag of the answer.
     *
     * @return whether the caller has it already: the answer is made then
     */
    public static boolean isKnown(
            HttpServletRequest request, HttpServletResponse response, EntityTag tag) {
        String quoted = tag.quoted();
        response.setHeader(HttpHeaders.ETAG, quoted);
        if (Representations.matches(request.getHeader(HttpHeaders.IF_NONE_MATCH), quoted)) {
            response.setStatus(HttpStatus.NOT_MODIFIED.value());
            return true;
        }
        return false;
    }
}
