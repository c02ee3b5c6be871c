package org.stillwater.ovirt.model;

/**
 * Answer to the action that makes a ticket for a proxy of consoles.
 *
 * @param proxyTicket the ticket
 * @param status {@code complete}
 */
public record ProxyTicketAction(ProxyTicket proxyTicket, String status, Entity vm) {

    /** A signed ticket as clients pass it to the proxy. */
    public record ProxyTicket(String value) {}
}
