package org.stillwater.server.api.stream;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.tomcat.websocket.server.WsSci;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.socket.WebSocketHandler;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.config.annotation.WebSocketHandlerRegistry;
import org.springframework.web.socket.server.HandshakeInterceptor;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.QueryParameterGuard;
import org.stillwater.server.api.web.Streams;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.HttpSettings;
import org.stillwater.server.settings.StreamSettings;

/**
 * Opens {@code /api/v1/stream/ws}: pages of the engine's own origin may, and those of origins that
 * a setting names.
 */
@Configuration(proxyBeanMethods = false)
@EnableWebSocket
class SocketConfiguration implements WebSocketConfigurer {

    private final StreamSockets sockets;
    private final FleetReader fleet;
    private final Streams streams;
    private final Callers access;
    private final StreamSettings settings;
    private final HttpSettings web;

    SocketConfiguration(
            StreamSockets sockets,
            FleetReader fleet,
            Streams streams,
            Callers access,
            StreamSettings settings,
            HttpSettings web) {
        this.web = web;
        this.sockets = sockets;
        this.fleet = fleet;
        this.streams = streams;
        this.access = access;
        this.settings = settings;
    }

    /** The container's part of WebSocket. */
    @Configuration(proxyBeanMethods = false)
    static class Container {

        @Bean
        WebServerFactoryCustomizer<TomcatServletWebServerFactory> webSockets() {
            return factory ->
                    factory.addContextCustomizers(
                            context -> context.addServletContainerInitializer(new WsSci(), null));
        }
    }

    @Override
    public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
        registry.addHandler(sockets, "/api/v1/stream/ws")
                .addInterceptors(new Handshake())
                .setAllowedOrigins(
                        Stream.concat(
                                        settings.allowedOrigins().stream(),
                                        web.allowedOrigins().stream())
                                .distinct()
                                .toArray(String[]::new));
    }

    /** Checks caller and request before there is a socket, so that a refusal is an answer. */
    private final class Handshake implements HandshakeInterceptor {

        @Override
        public boolean beforeHandshake(
                ServerHttpRequest request,
                ServerHttpResponse response,
                WebSocketHandler handler,
                Map<String, Object> attributes)
                throws java.io.IOException {
            HttpServletRequest asked = ((ServletServerHttpRequest) request).getServletRequest();
            try {
                check(asked);
                String text = asked.getQueryString();
                if (text != null) {
                    QueryParameterGuard.check(text, StreamQuery.class, asked);
                }
                Streams.Owner owner = Streams.Owner.of(asked);
                streams.check(owner);
                attributes.put(StreamSockets.OWNER, owner);
                attributes.put(StreamSockets.STANDING, access.standing());
                attributes.put(StreamSockets.CALLER, access.current());
                attributes.put(StreamSockets.SAME_SINCE, Callers.sameSince());
                if (!FilterText.blank(text)) {
                    StreamQuery query =
                            new StreamQuery(
                                    parameter(asked, "entity"),
                                    parameter(asked, "view"),
                                    parameter(asked, "vm"),
                                    parameter(asked, "host"),
                                    parameter(asked, "cluster"),
                                    parameter(asked, "fields"),
                                    parameter(asked, "statistics"),
                                    parameter(asked, "spacing"),
                                    parameter(asked, "snapshot"),
                                    parameter(asked, "since"));
                    StreamFilter _ = new StreamFilter(fleet, access.current(), query);
                    attributes.put(StreamSockets.QUERY, query);
                }
                return true;
            } catch (ApiException e) {
                response.setStatusCode(e.status());
                response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
                if (e.status() == HttpStatus.SERVICE_UNAVAILABLE
                        || e.status() == HttpStatus.TOO_MANY_REQUESTS) {
                    response.getHeaders().set("Retry-After", "" + streams.retryAfterSeconds());
                }
                String problem =
                        "{\"status\":%d,\"title\":\"%s\",\"detail\":\"%s\"}"
                                .formatted(
                                        e.status().value(),
                                        e.status().getReasonPhrase(),
                                        String.valueOf(e.getMessage())
                                                .replaceAll("[\"\\\\\\p{Cntrl}]", "'"));
                response.getBody().write(problem.getBytes(StandardCharsets.UTF_8));
                return false;
            }
        }

        /** The text of a parameter as of other requests: several of one name are a list. */
        private static @Nullable String parameter(HttpServletRequest asked, String name) {
            String[] values = asked.getParameterValues(name);
            return values == null ? null : String.join(",", values);
        }

        /**
         * Checks the requirements of RFC 6455, section 4.2.1: Spring would log an error for each
         * failure.
         */
        private static void check(HttpServletRequest asked) {
            if (!"websocket".equalsIgnoreCase(asked.getHeader(HttpHeaders.UPGRADE))) {
                throw ApiException.badRequest(
                        "This is a WebSocket: the header Upgrade must be websocket.");
            }
            String connection = asked.getHeader(HttpHeaders.CONNECTION);
            if (connection == null || !connection.toLowerCase(Locale.ROOT).contains("upgrade")) {
                throw ApiException.badRequest(
                        "This is a WebSocket: the header Connection must be Upgrade.");
            }
            if (!"13".equals(asked.getHeader("Sec-WebSocket-Version"))) {
                throw ApiException.badRequest("This WebSocket has version 13 of the protocol.");
            }
            if (asked.getHeader("Sec-WebSocket-Key") == null) {
                throw ApiException.badRequest("The header Sec-WebSocket-Key is missing.");
            }
        }

        @Override
        public void afterHandshake(
                ServerHttpRequest request,
                ServerHttpResponse response,
                WebSocketHandler handler,
                @Nullable Exception failure) {
            // nothing is kept of a handshake
        }
    }
}
