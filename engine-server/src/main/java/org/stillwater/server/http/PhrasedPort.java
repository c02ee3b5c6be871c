package org.stillwater.server.http;

import org.apache.coyote.UpgradeProtocol;
import org.apache.coyote.http2.Http2Protocol;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;
import org.stillwater.server.settings.HttpSettings;

/**
 * The engine's port answers HTTP/1.1 with reason phrases, and errors without pages. Its limits hold
 * for HTTP/1.1 and HTTP/2.
 */
@Component
class PhrasedPort implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    /**
     * Streams that one connection of HTTP/2 may have open: Tomcat keeps up to 64 KiB of each one's
     * body. Browsers and clients open further ones as others end, or use another connection.
     */
    private static final int MOST_STREAMS = 32;

    /**
     * Bytes of an answer that go to the socket at once; Tomcat's default is 8 KiB. Each connection
     * has such a buffer: 256 MiB for the most connections, 8 192.
     */
    private static final int WRITE_BUFFER = 32 * 1024;

    private final HttpSettings settings;
    private final ConnectionLimits limits;

    PhrasedPort(HttpSettings settings, ConnectionLimits limits) {
        this.limits = limits;
        this.settings = settings;
    }

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        factory.setProtocol(PhrasedProtocol.class.getName());
        factory.addEngineValves(
                new ForwardedHeaders(settings.proxies(), settings.forwardedBy()),
                new BodyLimits(limits));
        factory.addContextCustomizers(
                context -> context.getParent().getPipeline().addValve(new PlainErrors()));
        factory.addConnectorCustomizers(connector -> {
            if (connector.getProtocolHandler() instanceof PhrasedProtocol protocol) {
                protocol.limit(limits);
            }
            for (UpgradeProtocol upgrade : connector.findUpgradeProtocols()) {
                if (upgrade instanceof Http2Protocol http2) {
                    http2.setMaxConcurrentStreams(MOST_STREAMS);
                }
            }
        });
        factory.addConnectorCustomizers(connector ->
                connector.setProperty("socket.appWriteBufSize", Integer.toString(WRITE_BUFFER)));
        long sendBuffer = settings.sendBuffer().toBytes();
        if (sendBuffer > 0) {
            factory.addConnectorCustomizers(connector ->
                    connector.setProperty("socket.txBufSize", Long.toString(sendBuffer)));
        }
    }
}
