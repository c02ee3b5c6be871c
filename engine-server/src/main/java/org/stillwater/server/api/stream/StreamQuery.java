package org.stillwater.server.api.stream;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.QueryRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Query of a stream's reader, as parameters or as a message.
 *
 * @param entity {@code vm}, {@code host}, {@code event}, {@code alert}, {@code finding} and {@code
 *     engine} by commas; {@code vm}, {@code host} and {@code event} when left out
 * @param view {@code full} or {@code light}
 * @param vm only these VMs
 * @param host only these hosts and the VMs on them
 * @param cluster only objects of these clusters
 * @param fields only these fields of VMs
 * @param statistics whether the reader gets new numbers, too
 * @param spacing shortest time between two writes to the reader, in milliseconds
 * @param snapshot form of the VMs of a snapshot: {@code rows}, {@code columns} or {@code packed}
 * @param since the last revision or event id that was seen
 */
record StreamQuery(
        @Parameter(
                        description =
                                "vm, host, event, alert, finding and engine, by commas; vm, host"
                                        + " and event when left out.",
                        example = "vm,host")
                @QueryRecord.Several
                @Nullable String entity,
        @Parameter(
                        schema =
                                @Schema(
                                        type = "string",
                                        allowableValues = {"full", "light"}))
                @Nullable String view,
        @Parameter(
                        description =
                                "Only these VMs: ids or names by commas. Hosts are included only if"
                                        + " entity or host names them.")
                @QueryRecord.Several
                @Nullable String vm,
        @Parameter(description = "Only these hosts and their VMs: ids or names by commas.")
                @QueryRecord.Several
                @Nullable String host,
        @Parameter(description = "Only objects of these clusters: ids or names by commas.")
                @QueryRecord.Several
                @Nullable String cluster,
        @Parameter(
                        description =
                                "Only these fields of VMs, by commas, and only changes of them.",
                        example = "name,status")
                @QueryRecord.Several
                @Nullable String fields,
        @Parameter(
                        description = "Include new statistics of VMs.",
                        schema = @Schema(type = "boolean", defaultValue = "false"))
                @Nullable String statistics,
        @Parameter(
                        description =
                                "Shortest time between two writes to this reader, in milliseconds;"
                                        + " changes in between come together. When left out,"
                                        + " stillwater.stream.spacing decides.",
                        schema = @Schema(type = "integer", minimum = "0", maximum = "5000"))
                @Nullable String spacing,
        @Parameter(
                        description =
                                "Form of the VMs of a snapshot: rows, or columns, which are shorter"
                                        + " and need fields, or packed: columns with numbers and"
                                        + " times as differences to the least one.",
                        schema =
                                @Schema(
                                        type = "string",
                                        allowableValues = {"rows", "columns", "packed"},
                                        defaultValue = "rows"))
                @Nullable String snapshot,
        @Parameter(description = "Continue after this revision, or after this event id.")
                @Nullable String since)
        implements QueryRecord {

    static final StreamQuery EVERYTHING =
            new StreamQuery(null, null, null, null, null, null, null, null, null, null);

    private static final List<String> MEMBERS =
            List.of(
                    "type",
                    "entity",
                    "view",
                    "vm",
                    "host",
                    "cluster",
                    "fields",
                    "statistics",
                    "spacing",
                    "snapshot",
                    "since");

    /** The query in a message: an object with the same members, texts or lists of texts. */
    static StreamQuery read(JsonMapper mapper, String message) {
        JsonNode root;
        try {
            root = mapper.readTree(message);
        } catch (JacksonException _) {
            throw ApiException.badRequest("the message is no JSON");
        }
        if (!root.isObject() || !root.path("type").asString("").equals("subscribe")) {
            throw ApiException.badRequest(
                    "the message is not {\"type\":\"subscribe\", …} with the members of the query");
        }
        for (String name : root.propertyNames()) {
            if (!MEMBERS.contains(name)) {
                throw ApiException.badRequest(
                        "there is no member %s in a subscription; the members are %s"
                                .formatted(
                                        Ids.shortened(name),
                                        String.join(", ", MEMBERS.stream().sorted().toList())));
            }
        }
        return new StreamQuery(
                text(root, "entity"),
                text(root, "view"),
                text(root, "vm"),
                text(root, "host"),
                text(root, "cluster"),
                text(root, "fields"),
                text(root, "statistics"),
                text(root, "spacing"),
                text(root, "snapshot"),
                text(root, "since"));
    }

    private static @Nullable String text(JsonNode root, String name) {
        JsonNode value = root.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return null;
        }
        if (value.isArray()) {
            List<String> words = new ArrayList<>();
            value.forEach(word -> words.add(withoutComma(name, scalar(name, word))));
            return String.join(",", words);
        }
        return scalar(name, value);
    }

    /** Lists are joined by commas: a name with one would be two. */
    private static String withoutComma(String name, String word) {
        if (word.indexOf(',') >= 0) {
            throw ApiException.badRequest(
                    "%s: \"%s\" has a comma; name it by its id"
                            .formatted(name, Ids.shortened(word)));
        }
        return word;
    }

    private static String scalar(String name, JsonNode value) {
        if (!value.isString() && !value.isNumber() && !value.isBoolean()) {
            throw ApiException.badRequest(name + " is a text or a list of texts");
        }
        return value.asString();
    }
}
