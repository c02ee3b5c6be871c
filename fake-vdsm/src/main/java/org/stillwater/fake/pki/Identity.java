package org.stillwater.fake.pki;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;

/**
 * A private key with its certificate and the CA that signed it.
 *
 * @param key the private key
 * @param certificate the end-entity certificate
 * @param issuer the CA certificate
 */
public record Identity(PrivateKey key, X509Certificate certificate, X509Certificate issuer) {

    /** A PKCS#12 key store, to be written to a file, with this identity under alias {@code 1}. */
    KeyStore keyStore(char[] password) throws GeneralSecurityException {
        return with(KeyStores.empty(), password);
    }

    /** A key store for this process with this identity under alias {@code 1}. */
    public KeyStore keyStoreForThisProcess(char[] password) throws GeneralSecurityException {
        return with(KeyStores.emptyForThisProcess(), password);
    }

    private KeyStore with(KeyStore store, char[] password) throws GeneralSecurityException {
        store.setKeyEntry("1", key, password, new Certificate[] {certificate, issuer});
        return store;
    }

    @Override
    public String toString() {
        return "Identity[" + certificate.getSubjectX500Principal() + "]";
    }
}
