package org.stillwater.ovirt.action;

import java.io.Serial;

/**
 * Signs tickets with which a proxy between browsers and hosts opens a console. The private key
 * stays behind this interface. Thread-safe; may read files.
 */
@FunctionalInterface
public interface ProxyTicketSigner {

    /**
     * A ticket that is valid from now on, for as long as a setting allows.
     *
     * @param data where the proxy connects to, as the proxy reads it
     * @return the ticket as clients pass it to the proxy
     * @throws Unusable if there is no key that a proxy could check
     */
    String sign(String data) throws Unusable;

    /** There is no key to sign with; the message is a sentence for an administrator. */
    final class Unusable extends Exception {

        @Serial private static final long serialVersionUID = 1;

        /** With its reason. */
        public Unusable(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
