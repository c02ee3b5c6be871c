package org.stillwater.xapi.client;

/** The encoding of calls and replies. The URL alone selects it. */
public enum XapiEncoding {
    /** XenServer 7.0 and later. */
    JSON_RPC("/jsonrpc", "application/json"),
    /** Servers until August 2017; later ones answer this URL in plain XML-RPC. */
    JSON_IN_XML("/json", "text/xml"),
    /** All servers. */
    XML_RPC("/", "text/xml");

    private final String path;
    private final String contentType;

    XapiEncoding(String path, String contentType) {
        this.path = path;
        this.contentType = contentType;
    }

    String path() {
        return path;
    }

    String contentType() {
        return contentType;
    }
}
