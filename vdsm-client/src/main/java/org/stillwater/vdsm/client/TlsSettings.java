package org.stillwater.vdsm.client;

import java.nio.file.Path;
import java.util.List;

/** The encryption of connections to hosts. */
public sealed interface TlsSettings {

    /** The protocol versions of VDSM's hosts, the preferred one first. */
    List<String> DEFAULT_PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    /** No encryption: for laboratories and measurements. */
    record Plain() implements TlsSettings {}

    /**
     * Both sides show certificates.
     *
     * @param material the engine's key and the certificates it trusts; read again when changed
     * @param protocols versions offered, best first
     * @param verifyHostName whether TLS itself refuses a certificate that does not name the address
     *     that was dialled. Off by default: certificates of existing installations often do not
     *     (protocol page §1.2), and the listener decides which of them are the host's
     */
    record Mutual(KeyMaterial material, List<String> protocols, boolean verifyHostName)
            implements TlsSettings {
        public Mutual {
            protocols = List.copyOf(protocols);
            if (protocols.isEmpty()) {
                throw new IllegalArgumentException("no TLS version given");
            }
        }

        /**
         * With the default protocols; the listener alone decides which certificate is the host's.
         */
        public Mutual(KeyMaterial material) {
            this(material, DEFAULT_PROTOCOLS, false);
        }
    }

    /** The source of keys and certificates. */
    sealed interface KeyMaterial {

        /**
         * PEM files.
         *
         * @param key the engine's private key, PKCS#8 or PKCS#1, not encrypted
         * @param certificate the engine's certificate, followed by intermediate ones if any
         * @param authorities certificates of the authorities that hosts are checked against
         */
        record Pem(Path key, Path certificate, Path authorities) implements KeyMaterial {}

        /**
         * PKCS#12 files.
         *
         * @param keyStore the engine's key and certificate
         * @param keyStorePassword opens it
         * @param trustStore the authorities that hosts are checked against
         * @param trustStorePassword opens it
         */
        record Pkcs12(
                Path keyStore, String keyStorePassword, Path trustStore, String trustStorePassword)
                implements KeyMaterial {
            /** Without the passwords. */
            @Override
            public String toString() {
                return "Pkcs12[keyStore=" + keyStore + ", trustStore=" + trustStore + "]";
            }
        }
    }
}
