package org.stillwater.ovirt.resource;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.codec.Format;

/**
 * Answer to a request.
 *
 * @param status of HTTP
 * @param headers beyond those of content
 * @param format of the body
 * @param root root element of the body
 * @param body the model of the body, which may be made while it is written; null for none
 * @param tag strong entity tag, unquoted: equal ones mean equal bodies; null for an answer that has
 *     none, because it must not be kept
 * @param exact whether a tag of the written bytes is better, because they change less often than
 *     the tag
 */
public record Answer(
        int status,
        Map<String, String> headers,
        Format format,
        String root,
        @Nullable Object body,
        @Nullable String tag,
        boolean exact) {

    public Answer {
        headers = Map.copyOf(headers);
    }

    /** A body that must not be kept. */
    public static Answer of(int status, Format format, String root, Object body) {
        return new Answer(status, Map.of(), format, root, body, null, false);
    }

    /** The same with one more header. */
    public Answer with(String name, String value) {
        Map<String, String> all = new java.util.HashMap<>(headers);
        all.put(name, value);
        return new Answer(status, all, format, root, body, tag, exact);
    }
}
