package org.stillwater.server.http;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;
import org.stillwater.server.settings.HttpSettings;

/** The engine's port answers HTTP/1.1 with reason phrases, and errors without pages. */
@Component
class PhrasedPort implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    private final HttpSettings settings;
    private final ConnectionLimits limits;

    PhrasedPort(HttpSettings settings, ConnectionLimits limits) {
        this.limits = limits;
        this.settings = settings;
    }

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        factory.setProtocol(PhrasedProtocol.class.getName());
        factory.addEngineValves(new ForwardedHeaders(settings.proxies(), settings.forwardedBy()));
        factory.addContextCustomizers(
                context -> context.getParent().getPipeline().addValve(new PlainErrors()));
        factory.addConnectorCustomizers(connector -> {
            if (connector.getProtocolHandler() instanceof PhrasedProtocol protocol) {
                protocol.limit(limits);
            }
        });
        long sendBuffer = settings.sendBuffer().toBytes();
        if (sendBuffer > 0) {
            factory.addConnectorCustomizers(connector ->
                    connector.setProperty("socket.txBufSize", Long.toString(sendBuffer)));
        }
    }
}
