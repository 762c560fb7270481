//! TLS to the database, in the words of libpq's `sslmode` and `sslrootcert`.
//!
//! No client certificates and no channel binding: who has no password uses a socket.

use std::fmt;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

use super::PostgresTrouble;

/// How much the database has to prove.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum ServerProof {
    /// Nothing: who can stand in between can read along.
    #[default]
    None,
    /// A certificate of an authority in this file.
    Authority(PathBuf),
    /// Also that the certificate names the host. Without a file, the system's authorities count.
    Host(Option<PathBuf>),
}

impl ServerProof {
    /// Reads the certificates again: they may have been replaced.
    pub(super) fn connector(&self) -> Result<PostgresTls, PostgresTrouble> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?;
        let verifier: Arc<dyn ServerCertVerifier> = match self {
            Self::Host(None) => {
                let config = config.with_platform_verifier()?;
                return Ok(PostgresTls::of(config.with_no_client_auth()));
            }
            Self::Host(Some(file)) => {
                Arc::new(KnownAuthority::read(file, HostCheck::Named, provider)?)
            }
            Self::Authority(file) => {
                Arc::new(KnownAuthority::read(file, HostCheck::Any, provider)?)
            }
            Self::None => Arc::new(AnyServer { provider }),
        };
        let config = config
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        Ok(PostgresTls::of(config.with_no_client_auth()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostCheck {
    Named,
    Any,
}

/// Trusts the authorities of one file, and the certificates in it themselves: a server's own, signed by itself, is
/// often what people have.
#[derive(Debug)]
struct KnownAuthority {
    listed: Vec<CertificateDer<'static>>,
    chain: Arc<WebPkiServerVerifier>,
    host: HostCheck,
}

impl KnownAuthority {
    fn read(
        file: &Path,
        host: HostCheck,
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, PostgresTrouble> {
        let unreadable = |error: &dyn fmt::Display| {
            PostgresTrouble::Certificates(file.to_owned(), error.to_string())
        };
        let listed = CertificateDer::pem_file_iter(file)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| unreadable(&error))?;
        let mut roots = RootCertStore::empty();
        for certificate in &listed {
            let added = roots.add(certificate.clone());
            added.map_err(|error| unreadable(&error))?;
        }
        let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        let chain = chain.map_err(|error| unreadable(&error))?;
        Ok(Self {
            listed,
            chain,
            host,
        })
    }
}

impl ServerCertVerifier for KnownAuthority {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let checked = match self.listed.contains(end_entity) {
            true => ParsedCertificate::try_from(end_entity)
                .and_then(|parsed| verify_server_name(&parsed, server_name))
                .map(|()| ServerCertVerified::assertion()),
            false => self.chain.verify_server_cert(
                end_entity,
                intermediates,
                server_name,
                ocsp_response,
                now,
            ),
        };
        match checked {
            // The name is checked last, after everything else was found right.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.host == HostCheck::Any => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chain.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chain.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chain.supported_verify_schemes()
    }
}

/// Encrypts, and asks for nothing.
#[derive(Debug)]
struct AnyServer {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}

/// What the driver makes TLS connections with.
#[derive(Clone)]
pub(super) struct PostgresTls {
    connector: TlsConnector,
}

impl PostgresTls {
    fn of(config: ClientConfig) -> Self {
        let connector = TlsConnector::from(Arc::new(config));
        Self { connector }
    }
}

impl fmt::Debug for PostgresTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresTls").finish_non_exhaustive()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for PostgresTls {
    type Stream = EncryptedSocket<S>;
    type TlsConnect = PostgresHandshake;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, domain: &str) -> Result<PostgresHandshake, Self::Error> {
        // A socket in the file system has no host, and no TLS.
        let host = match domain {
            "" => None,
            domain => Some(ServerName::try_from(domain)?.to_owned()),
        };
        let connector = self.connector.clone();
        Ok(PostgresHandshake { connector, host })
    }
}

pub(super) struct PostgresHandshake {
    connector: TlsConnector,
    host: Option<ServerName<'static>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for PostgresHandshake {
    type Stream = EncryptedSocket<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<EncryptedSocket<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let host = self.host.ok_or(io::ErrorKind::InvalidInput)?;
            let stream = self.connector.connect(host, stream).await?;
            Ok(EncryptedSocket { stream })
        })
    }
}

pub(super) struct EncryptedSocket<S> {
    stream: tokio_rustls::client::TlsStream<S>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for EncryptedSocket<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for EncryptedSocket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for EncryptedSocket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
