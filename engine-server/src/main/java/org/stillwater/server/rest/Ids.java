package org.stillwater.server.rest;

import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;

/** Identities in paths and parameters. */
final class Ids {

    private Ids() {}

    static VmId vm(String text) {
        try {
            return VmId.parse(text);
        } catch (IllegalArgumentException _) {
            throw ApiException.badRequest("\"%s\" is no UUID".formatted(shortened(text)));
        }
    }

    static HostId host(String text) {
        return new HostId(vm(text).toUuid());
    }

    /** What a caller sent, short enough to be sent back. */
    static String shortened(String text) {
        return text.length() <= 64 ? text : text.substring(0, 64) + "…";
    }
}
