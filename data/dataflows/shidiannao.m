// shidiannao: output-stationary, in the manner of ShiDianNao. Bands of output rows over clusters, output columns over
// the elements of a cluster. ClusterSz is the width of the array.
Dataflow {
    TemporalMap(1,1) K;
    SpatialMap(Sz(R),Sz(R)) Y';
    TemporalMap(ClusterSz,ClusterSz) X';
    TemporalMap(1,1) C;
    TemporalMap(Sz(R),Sz(R)) R;
    TemporalMap(Sz(S),Sz(S)) S;
    Cluster(ClusterSz, P);
    TemporalMap(1,1) K;
    TemporalMap(1,1) C;
    TemporalMap(Sz(R),1) Y;
    SpatialMap(Sz(S),1) X;
    TemporalMap(Sz(R),Sz(R)) R;
    TemporalMap(Sz(S),Sz(S)) S;
}
