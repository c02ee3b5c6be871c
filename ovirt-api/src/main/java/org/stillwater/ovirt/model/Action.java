package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answer to an action.
 *
 * @param status {@code pending}, {@code in_progress}, {@code complete} or {@code failed}
 */
public record Action(
        @Attribute @Nullable String id,
        @Attribute @Nullable String href,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        @Nullable Boolean async,
        @Nullable Fault fault,
        @Nullable Entity host,
        @Nullable Entity job,
        @Nullable PowerManagement powerManagement,
        @Nullable String status,
        @Nullable Ticket ticket,
        @Nullable Entity vm) {

    public Action {
        link = List.copyOf(link);
    }

    /** Power of a host; {@code status} is {@code on}, {@code off} or {@code unknown}. */
    public record PowerManagement(String status) {}

    /** A ticket for a console; {@code expiry} in seconds. */
    public record Ticket(@Nullable String value, @Nullable Long expiry) {}

    /** An action that failed. */
    public static Action failed(Fault fault) {
        return new Action(
                null, null, List.of(), null, fault, null, null, null, "failed", null, null);
    }
}
