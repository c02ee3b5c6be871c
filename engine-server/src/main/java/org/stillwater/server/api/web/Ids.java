package org.stillwater.server.api.web;

import java.util.UUID;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;

/** Identities in paths and parameters. */
public final class Ids {

    private Ids() {}

    public static VmId vm(String text) {
        try {
            return VmId.parse(text);
        } catch (IllegalArgumentException _) {
            throw ApiException.badRequest("\"%s\" is no UUID".formatted(shortened(text)));
        }
    }

    /** Whether a text has the form of an identity. */
    public static boolean isId(String text) {
        try {
            return VmId.parse(text) != null;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    public static HostId host(String text) {
        return new HostId(uuid(text));
    }

    public static UUID uuid(String text) {
        return vm(text).toUuid();
    }

    /** By id, or by the name of a host that is there. */
    public static HostId host(FleetReader fleet, String text) {
        HostView named = fleet.hostNamed(text);
        if (named != null) {
            return named.state().definition().id();
        }
        if (!isId(text)) {
            throw ApiException.notFound("There is no host " + shortened(text) + ".");
        }
        return host(text);
    }

    /** What a caller sent, short enough to be sent back. */
    public static String shortened(String text) {
        return text.length() <= 64 ? text : text.substring(0, 64) + "…";
    }
}
