package org.stillwater.core.definition;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A way to view a VM's screen.
 *
 * @param protocol how
 * @param keyboard keyboard layout as QEMU names it, such as {@code en-us}; null for QEMU's own.
 *     Only VNC has one
 */
public record VmConsole(Protocol protocol, @Nullable String keyboard) {

    private static final Pattern KEYBOARD = Pattern.compile("[a-z]{2}(-[a-z]{2})?");

    public VmConsole {
        if (keyboard != null && !KEYBOARD.matcher(keyboard).matches()) {
            throw new IllegalArgumentException(
                    "a keyboard layout is two letters, or two and two, such as de or en-us");
        }
        if (keyboard != null && protocol != Protocol.VNC) {
            throw new IllegalArgumentException("only a VNC console has a keyboard layout");
        }
    }

    /** Protocols of consoles. */
    public enum Protocol {
        SPICE,
        VNC
    }
}
